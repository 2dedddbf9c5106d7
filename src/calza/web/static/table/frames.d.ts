// What travels between the table and the arena, for the compiler alone: what `arena/messages.py`, `web/feed.py` and
// `web/table.py` write.

export type Bid = { playerId: string; quantity: number; faceValue: number };
export type Legal = { least: Record<string, number>; most: number; types: string[] };
export type Reveal = {
  round: number; by: string; action: string; bid: Bid | null; count: number | null; shown: Record<string, number[]>;
  changes: { playerId: string; change: number; left: number }[]; text: string;
};
export type Player = { id: string; name: string; diceCount: number; house: boolean };
export type Said = { from: string; text: string };
export type Position = {
  seat: number; dice: number[]; start: number[]; special: boolean; bids: [number, string][]; turn: number; round: number;
};
export type View = {
  you: string; myDice: number[]; totalDiceInPlay: number; round: number; legalActions: Legal | null;
  lastReveal: Reveal | null; players: Player[]; talk: Said[]; table: Position;
};

export type RoundBegan = { type: "round"; round: number; seat: number; dice: number[]; special: boolean };
export type Happening = RoundBegan | { type: "bid" | "call" | "dice" | "forfeit" | "penalty" | "out" | "over"; seat: number };
export type Happened = { sequence: number; seat: number; action: string; events: Happening[] };

export type Outcome = { agentId: string; outcome: "win" | "loss" | "draw"; place: number; diceLeft: number };
export type Over = { reason: string; results: Outcome[]; rating?: { before: number; after: number } | null };
export type Frame = {
  type: "table"; sequence: number; status: "not_started" | "waiting" | "your_turn" | "game_over"; you: number; view: View;
  calls: string[]; opening: string; events: Happened[]; says: string[][]; absent: number[]; turnEndsAt: string | null; now: string; over: Over | null;
};
export type Fault = { type: "error"; error: string; details: string };

export type Payload = { type: "bid"; quantity: number; faceValue: number } | { type: "challenge" | "exact" | "resign"; reward?: string };
export type Call = { name: string; words: string[]; payload: Payload };
export type Rules = { faces: number; wild: number | null; calls: Call[] };
export type Start = { table: Frame; rules: Rules; feed: string; odds: string | null; talk: number };
