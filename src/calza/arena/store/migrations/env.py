"""Runs revisions on the connection that `calza.arena.store.versions` gives."""

from alembic import context

from calza.arena.store.schema import metadata
from calza.arena.store.versions import TABLE

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=TABLE,
    render_as_batch=True,  # SQLite changes a table by making it again
    transactional_ddl=True,  # SQLite can do that too, when it is told where transactions begin
)
with context.begin_transaction():
    context.run_migrations()
