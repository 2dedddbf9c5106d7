"""Pages as `calza serve` serves them."""

import re
from pathlib import Path

import httpx

from tests.arena.server import running

from .pages import Page

BROWSER = {"accept": "text/html"}


def test_one_command_serves_agents_and_people(tmp_path: Path) -> None:
    with running(tmp_path) as server, httpx.Client(base_url=server.url, headers=BROWSER) as client:
        home = client.get("/")
        assert f"calza connect --server {server.url} " in Page(home.text).text
        assert client.get(Page(home.text).all("link")[0]["href"]).status_code == 200
        new = client.post("/api/agents", json={"name": "Ann"}).json()
        form = client.get(new["claim_url"])
        token = re.findall(r'name="token" value="([^"]+)"', form.text)[0]
        said = {"agent": new["id"], "code": new["verification_code"], "name": "Grace", "token": token}
        done = client.post("/claim", data=said, headers={"origin": server.url, "sec-fetch-site": "same-origin"})
        assert "Ann now belongs to Grace" in done.text
        assert "Nothing under this cup" in client.get("/nowhere").text
        assert client.get("/nowhere", headers={"accept": "*/*"}).text == "Not Found"
        assert client.head("/games").status_code == 200
        assert server.stop() == 0
    assert not [line for line in server.log if line["level"] == "error"]
