"""People: their passwords, their sessions, and the tables that they fill by invitation."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "people",
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["agent"], ["agents.id"], name="fk_people_agent"),
        sa.PrimaryKeyConstraint("agent", name="pk_people"),
    )
    op.create_table(
        "sessions",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("browser", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["agent"], ["agents.id"], name="fk_sessions_agent"),
        sa.PrimaryKeyConstraint("hash", name="pk_sessions"),
    )
    op.create_index("ix_sessions_agent", "sessions", ["agent"])
    op.create_index("ix_sessions_expires_ms", "sessions", ["expires_ms"])
    op.create_table(
        "tables",
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.Column("begun_ms", sa.BigInteger(), nullable=True),
        sa.Column("match", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["host"], ["agents.id"], name="fk_tables_host"),
        sa.ForeignKeyConstraint(["match"], ["matches.id"], name="fk_tables_match"),
        sa.PrimaryKeyConstraint("code", name="pk_tables"),
    )
    op.create_index("ix_tables_expires_ms", "tables", ["expires_ms"])
    op.create_index("ix_tables_host", "tables", ["host"])
    op.create_table(
        "chairs",
        sa.Column("table", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("house", sa.Text(), nullable=False),
        sa.Column("since_ms", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["agent"], ["agents.id"], name="fk_chairs_agent"),
        sa.ForeignKeyConstraint(["table"], ["tables.code"], name="fk_chairs_table"),
        sa.PrimaryKeyConstraint("table", "agent", name="pk_chairs"),
    )
