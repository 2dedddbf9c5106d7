// What a film is, for the compiler alone: the JSON that film.py and hindsight.py write. No browser loads this.

export type Seat = { letter: string; name: string; agent?: string; place?: number };

export type Round = { number: number; first: number; cups: number[][]; wild?: number; special?: boolean };

export type RoundBegan = { type: "round"; round: number; seat: number; dice: number[]; special: boolean };
export type BidMade = { type: "bid"; seat: number; quantity: number; face: number };
export type Called = {
  type: "call"; seat: number; call: string; bidder: number; quantity: number; face: number; count: number;
  shown: number[][];
};
export type Ruled = { type: "forfeit" | "penalty"; seat: number; reason: string };
export type Out = { type: "out"; seat: number };
export type GameOver = { type: "over"; places: number[] };
export type Happening = RoundBegan | BidMade | Called | Ruled | Out | GameOver;

export type Moment = {
  event: Happening; says: string[]; round: number; left: number[];
  action?: number; turn?: number; at?: number; bid?: string; there?: number; odds?: (number | null)[];
};

export type Raise = "barred" | "any" | "same" | "more" | "half" | "over-half" | "double-plus-one";
export type Raising = { lower: Raise; same: Raise; higher: Raise; to_wild?: Raise | null; from_wild?: Raise | null };
export type Outcome = { caller: number; bidder: number; others: number; per_die: boolean; starts: string };
export type CallRule = {
  name: string; short: Outcome; exact: Outcome; over: Outcome;
  min_players: number; in_special: boolean; needs_lost_die: boolean;
};
export type Special = { raising: Raising; wild: boolean; open_on_wild: boolean; min_players: number };
export type Rules = {
  wild?: number | null; raising: Raising; opening: number; open_on_wild: boolean; cap: number | "dice";
  calls: CallRule[]; gain: "start" | "none"; special?: Special | null; reveal: "all" | "matching";
  end: "last" | "round" | "first-out";
};

type Judged = { rules: Rules; start: number[]; used?: number[]; seats?: number[]; setup?: boolean; given?: number[]; rotation?: string };
export type Committed = Judged & { stream: "hmac-1"; commitment: string; seed: string; match: string; salts: string[] };
export type Mixed = Judged & { stream: "mix-1"; seed: string; game: string };

export type Decision = {
  action: number; seat: number; round: number; played: string; expected: number; error: number;
  best: string; better: number; cost: number; doubt: number; costly?: boolean; says: string;
};

export type Film = {
  label: string; rules: string; seats: Seat[]; faces: string[]; rounds: Round[]; moments: Moment[];
  proof?: Committed | Mixed; id?: string; started?: string; note?: string; wrong?: string; review?: Decision[];
};
