"""Where the actions of an SQLite store lie until they are filed under their matches."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "tray",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("actions", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_tray"),
    )
