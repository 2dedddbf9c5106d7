"""Stands between the host and a bot, and writes down what they say: `python relay.py FILE COMMAND ...`."""

import subprocess
import sys
from pathlib import Path


def main(file: Path, argv: list[str]) -> None:
    """Pass every line on; the bot is heard when it was asked."""
    with file.open("w") as said, subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bot:
        assert bot.stdin
        assert bot.stdout
        for line in sys.stdin.buffer:
            said.write(f"> {line.decode()}")
            bot.stdin.write(line)
            bot.stdin.flush()
            if line.startswith(b'{"type":"bye"'):
                break
            if line.startswith((b'{"type":"hello"', b'{"type":"act"')):
                if not (answer := bot.stdout.readline()):
                    break
                said.write(f"< {answer.decode()}")
                said.flush()
                sys.stdout.buffer.write(answer)
                sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
