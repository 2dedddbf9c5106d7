"""Whether a table that fills by invitation is to count for ratings."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("tables", sa.Column("counts", sa.Boolean(), nullable=False, server_default=sa.true()))
