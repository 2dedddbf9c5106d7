"""The tables. Times are milliseconds since 1970 and end in `_ms`; what is JSON is text that msgspec wrote.

A change here needs a revision in `migrations/versions`: a database is only ever made and changed by those.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    text,
    true,
)

# Every constraint has a name, so that a later revision can change it.
metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)


def partial(name: str, *columns: str, where: str) -> Index:
    """An index of the few rows that `where` is true of."""
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


owners = Table(
    "owners",
    metadata,
    Column("id", Text, primary_key=True),
    Column("key_hash", LargeBinary, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

agents = Table(
    "agents",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),  # equal for names that differ by case only
    Column("outline", Text, nullable=False, index=True),  # equal for names that look alike
    Column("model", Text),
    Column("house", Text, nullable=False),  # the spec of a house bot
    Column("created_ms", BigInteger, nullable=False),
    Column("code", Text, nullable=False),  # with which an owner claims it
    Column("owner", Text, ForeignKey("owners.id"), index=True),
    Column("claimed_ms", BigInteger),
    Column("banned_ms", BigInteger),
    Column("guest", Boolean, nullable=False),
    partial("ix_agents_house", "house", where="house != ''"),
)

keys = Table(
    "keys",
    metadata,
    Column("hash", LargeBinary, primary_key=True),
    Column("agent", Text, ForeignKey("agents.id"), nullable=False, index=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("revoked_ms", BigInteger),
)

people = Table(  # agents who are people and come with a password
    "people",
    metadata,
    Column("agent", Text, ForeignKey("agents.id"), primary_key=True),
    Column("password", Text, nullable=False),  # as `calza.arena.passwords` keeps it
    Column("created_ms", BigInteger, nullable=False),
)

sessions = Table(  # of people and guests in their browsers
    "sessions",
    metadata,
    Column("hash", LargeBinary, primary_key=True),
    Column("agent", Text, ForeignKey("agents.id"), nullable=False, index=True),
    Column("browser", Text, nullable=False),  # what it says it is
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False, index=True),
)

tables = Table(  # that are being filled, by invitation
    "tables",
    metadata,
    Column("code", Text, primary_key=True),  # whoever knows it may sit down
    Column("host", Text, ForeignKey("agents.id"), nullable=False, index=True),
    Column("game", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False, index=True),
    Column("begun_ms", BigInteger),
    Column("match", Text, ForeignKey("matches.id")),
    Column("counts", Boolean, nullable=False, server_default=true()),  # for ratings, if everybody can be rated
)

chairs = Table(
    "chairs",
    metadata,
    Column("table", Text, ForeignKey("tables.code"), primary_key=True),
    Column("agent", Text, ForeignKey("agents.id"), primary_key=True),
    Column("name", Text, nullable=False),
    Column("house", Text, nullable=False),
    Column("since_ms", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),  # in the order of sitting down
)

waiting = Table(
    "waiting",
    metadata,
    Column("agent", Text, ForeignKey("agents.id"), primary_key=True),
    Column("game", Text, primary_key=True),
    Column("lane", Text, nullable=False),
    Column("players", Integer, nullable=False),
    Column("salt", Text, nullable=False),
    Column("agents_only", Boolean, nullable=False),
    Column("capacity", Integer, nullable=False),
    Column("since_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
)

seeds = Table(
    "seeds",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("seed", LargeBinary, nullable=False),
    Column("commitment", Text, nullable=False),
    Column("match", Text, unique=True),  # that took it
    partial("ix_seeds_unused", "number", where="match IS NULL"),
)

matches = Table(
    "matches",
    metadata,
    Column("id", Text, primary_key=True),
    Column("game", Text, nullable=False),
    Column("lane", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("seed_number", Integer, ForeignKey("seeds.number"), nullable=False, unique=True),
    Column("commitment", Text, nullable=False),
    Column("seed", LargeBinary, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("started_ms", BigInteger),
    Column("due_ms", BigInteger),  # when it is to be looked at: at the end of the turn, or before
    Column("finished_ms", BigInteger),
    Column("reason", Text),
    Column("rated", Boolean, nullable=False),
    Column("gateway", Text, nullable=False),  # through which its players came, if not the API
    Column("signature", Text),
    Column("record", LargeBinary),  # last: what stands behind something long is read slowly
    partial("ix_matches_due", "due_ms", where="finished_ms IS NULL"),
    partial("ix_matches_live", "created_ms", "id", where="finished_ms IS NULL"),
    partial("ix_matches_finished", "finished_ms", "id", where="finished_ms IS NOT NULL"),
    Index("ix_matches_game_finished", "game", "finished_ms", "id"),
    Index("ix_matches_game_created", "game", "created_ms", "id"),
    Index("ix_matches_created", "created_ms", "id"),
)

# The game and the time are those of the match: an agent's list is read from this table's indexes alone.
players = Table(
    "players",
    metadata,
    Column("match", Text, ForeignKey("matches.id"), primary_key=True),
    Column("joined", Integer, primary_key=True, autoincrement=False),
    Column("agent", Text, ForeignKey("agents.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("salt", Text, nullable=False),
    Column("house", Text, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("told_ms", BigInteger),  # of the match, before it came
    Column("came_ms", BigInteger),
    Column("out_ms", BigInteger),
    Column("outcome", Text),
    Column("place", Integer),
    Column("dice_left", Integer),
    Column("before", Text),
    Column("after", Text),
    Column("game", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    partial("ix_players_live", "agent", "created_ms", "match", where="out_ms IS NULL"),
    Index("ix_players_agent", "agent", "created_ms", "match"),
    Index("ix_players_agent_game", "agent", "game", "created_ms", "match"),
)

# Without a foreign key, which would be one more lookup a move: what stores them looks at their match anyway.
actions = Table(
    "actions",
    metadata,
    Column("match", Text, primary_key=True),
    Column("sequence", Integer, primary_key=True, autoincrement=False),
    Column("seat", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("due_ms", BigInteger),  # when the turn that follows ends
    Column("say", Text),
    Column("usage", Text),
    Column("token", LargeBinary, nullable=False),  # of the request that was stored
    sqlite_with_rowid=False,
)

# Of SQLite only: groups of actions that are not filed under their matches yet.
tray = Table(
    "tray",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("actions", LargeBinary, nullable=False),  # MessagePack
)

ratings = Table(
    "ratings",
    metadata,
    Column("agent", Text, ForeignKey("agents.id"), primary_key=True),
    Column("game", Text, primary_key=True),
    Column("size", Text, primary_key=True),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    Column("ordinal", Double, nullable=False),  # mu - 3 sigma: what it is worth almost surely
    Column("games", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Index("ix_ratings_ladder", "game", "size", "ordinal", "agent"),
)

rating_history = Table(
    "rating_history",
    metadata,
    Column("agent", Text, ForeignKey("agents.id"), primary_key=True),
    Column("game", Text, primary_key=True),
    Column("size", Text, primary_key=True),
    Column("at_ms", BigInteger, primary_key=True, autoincrement=False),
    Column("match", Text, ForeignKey("matches.id"), primary_key=True),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    sqlite_with_rowid=False,
)

habits = Table(
    "habits",
    metadata,
    Column("agent", Text, ForeignKey("agents.id"), primary_key=True),
    Column("game", Text, primary_key=True),
    Column("moves", BigInteger, nullable=False),
    Column("millis", BigInteger, nullable=False),
    Column("illegal", BigInteger, nullable=False),
    Column("timeouts", BigInteger, nullable=False),
    Column("bids", BigInteger, nullable=False),
    Column("bluffs", BigInteger, nullable=False),
    Column("calls", BigInteger, nullable=False),
    Column("calls_right", BigInteger, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("cost", Double, nullable=False),
)

# Sums over all matches, kept as they end: asking for them costs the same after a million.
games = Table(
    "games",
    metadata,
    Column("game", Text, primary_key=True),
    Column("matches", BigInteger, nullable=False),
    Column("decisive", BigInteger, nullable=False),
    Column("millis", BigInteger, nullable=False),
)

days = Table(
    "days",
    metadata,
    Column("day", Text, primary_key=True),
    Column("matches", BigInteger, nullable=False),
)

facts = Table(
    "facts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

nodes = Table(
    "nodes",
    metadata,
    Column("node", Text, primary_key=True),
    Column("alive_ms", BigInteger, nullable=False),
)

news = Table(
    "news",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at_ms", BigInteger, nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    sqlite_autoincrement=True,
)
