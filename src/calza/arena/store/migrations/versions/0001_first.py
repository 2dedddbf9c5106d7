"""The tables of the first arena."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "actions",
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("sequence", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("due_ms", sa.BigInteger(), nullable=True),
        sa.Column("say", sa.Text(), nullable=True),
        sa.Column("usage", sa.Text(), nullable=True),
        sa.Column("token", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("match", "sequence", name="pk_actions"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "days",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("matches", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", name="pk_days"),
    )
    op.create_table(
        "facts",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_facts"),
    )
    op.create_table(
        "games",
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("matches", sa.BigInteger(), nullable=False),
        sa.Column("decisive", sa.BigInteger(), nullable=False),
        sa.Column("millis", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("game", name="pk_games"),
    )
    op.create_table(
        "news",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_news"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_news_at_ms", "news", ["at_ms"])
    op.create_table(
        "nodes",
        sa.Column("node", sa.Text(), nullable=False),
        sa.Column("alive_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("node", name="pk_nodes"),
    )
    op.create_table(
        "owners",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_owners"),
        sa.UniqueConstraint("key_hash", name="uq_owners_key_hash"),
    )
    op.create_table(
        "seeds",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("commitment", sa.Text(), nullable=False),
        sa.Column("match", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_seeds"),
        sa.UniqueConstraint("match", name="uq_seeds_match"),
    )
    partial("ix_seeds_unused", "seeds", ["number"], "match IS NULL")
    op.create_table(
        "agents",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("outline", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("house", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("claimed_ms", sa.BigInteger(), nullable=True),
        sa.Column("banned_ms", sa.BigInteger(), nullable=True),
        sa.Column("guest", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["owners.id"], name="fk_agents_owner"),
        sa.PrimaryKeyConstraint("id", name="pk_agents"),
        sa.UniqueConstraint("name_key", name="uq_agents_name_key"),
    )
    partial("ix_agents_house", "agents", ["house"], "house != ''")
    op.create_index("ix_agents_outline", "agents", ["outline"])
    op.create_index("ix_agents_owner", "agents", ["owner"])
    op.create_table(
        "matches",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("seed_number", sa.Integer(), nullable=False),
        sa.Column("commitment", sa.Text(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("started_ms", sa.BigInteger(), nullable=True),
        sa.Column("due_ms", sa.BigInteger(), nullable=True),
        sa.Column("finished_ms", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("gateway", sa.Text(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=True),
        sa.Column("record", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["seed_number"], ["seeds.number"], name="fk_matches_seed_number"),
        sa.PrimaryKeyConstraint("id", name="pk_matches"),
        sa.UniqueConstraint("seed_number", name="uq_matches_seed_number"),
    )
    op.create_index("ix_matches_created", "matches", ["created_ms", "id"])
    partial("ix_matches_due", "matches", ["due_ms"], "finished_ms IS NULL")
    partial("ix_matches_finished", "matches", ["finished_ms", "id"], "finished_ms IS NOT NULL")
    op.create_index("ix_matches_game_created", "matches", ["game", "created_ms", "id"])
    op.create_index("ix_matches_game_finished", "matches", ["game", "finished_ms", "id"])
    partial("ix_matches_live", "matches", ["created_ms", "id"], "finished_ms IS NULL")
    op.create_table(
        "habits",
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("moves", sa.BigInteger(), nullable=False),
        sa.Column("millis", sa.BigInteger(), nullable=False),
        sa.Column("illegal", sa.BigInteger(), nullable=False),
        sa.Column("timeouts", sa.BigInteger(), nullable=False),
        sa.Column("bids", sa.BigInteger(), nullable=False),
        sa.Column("bluffs", sa.BigInteger(), nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=False),
        sa.Column("calls_right", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["agent"], ["agents.id"], name="fk_habits_agent"),
        sa.PrimaryKeyConstraint("agent", "game", name="pk_habits"),
    )
    op.create_table(
        "keys",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("revoked_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["agent"], ["agents.id"], name="fk_keys_agent"),
        sa.PrimaryKeyConstraint("hash", name="pk_keys"),
    )
    op.create_index("ix_keys_agent", "keys", ["agent"])
    op.create_table(
        "players",
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("joined", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("salt", sa.Text(), nullable=False),
        sa.Column("house", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("told_ms", sa.BigInteger(), nullable=True),
        sa.Column("came_ms", sa.BigInteger(), nullable=True),
        sa.Column("out_ms", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("dice_left", sa.Integer(), nullable=True),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["agent"], ["agents.id"], name="fk_players_agent"),
        sa.ForeignKeyConstraint(["match"], ["matches.id"], name="fk_players_match"),
        sa.PrimaryKeyConstraint("match", "joined", name="pk_players"),
    )
    op.create_index("ix_players_agent", "players", ["agent", "created_ms", "match"])
    op.create_index("ix_players_agent_game", "players", ["agent", "game", "created_ms", "match"])
    partial("ix_players_live", "players", ["agent", "created_ms", "match"], "out_ms IS NULL")
    op.create_table(
        "rating_history",
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("size", sa.Text(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("mu", sa.Double(), nullable=False),
        sa.Column("sigma", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["agent"], ["agents.id"], name="fk_rating_history_agent"),
        sa.ForeignKeyConstraint(["match"], ["matches.id"], name="fk_rating_history_match"),
        sa.PrimaryKeyConstraint("agent", "game", "size", "at_ms", "match", name="pk_rating_history"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "ratings",
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("size", sa.Text(), nullable=False),
        sa.Column("mu", sa.Double(), nullable=False),
        sa.Column("sigma", sa.Double(), nullable=False),
        sa.Column("ordinal", sa.Double(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["agent"], ["agents.id"], name="fk_ratings_agent"),
        sa.PrimaryKeyConstraint("agent", "game", "size", name="pk_ratings"),
    )
    op.create_index("ix_ratings_ladder", "ratings", ["game", "size", "ordinal", "agent"])
    op.create_table(
        "waiting",
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("salt", sa.Text(), nullable=False),
        sa.Column("agents_only", sa.Boolean(), nullable=False),
        sa.Column("capacity", sa.Integer(), nullable=False),
        sa.Column("since_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["agent"], ["agents.id"], name="fk_waiting_agent"),
        sa.PrimaryKeyConstraint("agent", "game", name="pk_waiting"),
    )


def partial(name: str, table: str, columns: list[str], where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
