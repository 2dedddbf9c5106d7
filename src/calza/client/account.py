"""Being somebody at an arena: the key that is kept, or a new agent whose key is kept from now on."""

from .async_client import AsyncClient
from .errors import ArenaRefusal, ClientError
from .events import Known, Registered, Tell
from .keys import Key, Keys
from .replies import Agent


async def sign_in(client: AsyncClient, name: str, model: str | None, keys: Keys, tell: Tell) -> Agent:
    """Be `name`; from now on the client asks with its key."""
    kept = keys.find(client.server, name)
    if kept is None:
        return await registered(client, name, model, keys, tell)
    client.key = kept.key
    try:
        agent = await client.me()
        if model and agent.model is None:
            agent = await client.set_model(model)
    except ArenaRefusal as refusal:
        raise unknown(client, name, keys) if refusal.status == 401 else refusal from None
    if model and agent.model != model:
        raise ClientError(f"{name} plays as model {agent.model}, which cannot be changed; connect under another name")
    tell(Known(name=agent.name, id=agent.id, server=client.server))
    return agent


async def registered(client: AsyncClient, name: str, model: str | None, keys: Keys, tell: Tell) -> Agent:
    """Become `name`, and keep the key."""
    keys.check()
    try:
        new = await client.register(name, model)
    except ArenaRefusal as refusal:
        if refusal.code != "name_taken":
            raise
        raise ClientError(
            f"somebody is called {name} at {client.server} already, and {keys.path} has no key for it; "
            "choose another --name"
        ) from None
    keys.keep(client.server, Key(new.name, new.id, new.api_key))
    tell(
        Registered(
            name=new.name,
            id=new.id,
            server=client.server,
            kept=str(keys.path),
            claim_url=new.claim_url,
            verification_code=new.verification_code,
        )
    )
    return Agent(id=new.id, name=new.name, model=new.model)


def unknown(client: AsyncClient, name: str, keys: Keys) -> ClientError:
    """Our key is refused. It is not thrown away: this may be another arena at the same address for a while."""
    return ClientError(
        f"{client.server} does not know the key of {name} in {keys.path}; if it was revoked or the arena was set up "
        "anew, remove the entry there and connect again"
    )
