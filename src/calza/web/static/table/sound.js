// Sounds, made on the spot. Silent until somebody asks for them; that is remembered on this device.

const KEPT = "calza-sound";
const TUNES = /** @type {Record<string, [number, number][]>} a pitch in hertz, and when it begins in seconds */ ({
  turn: [[523, 0], [784, 0.12]],
  bid: [[330, 0]],
  count: [[660, 0]],
  call: [[262, 0], [247, 0.1], [233, 0.2]],
  won: [[523, 0], [659, 0.12], [784, 0.24], [1047, 0.36]],
  lost: [[392, 0], [330, 0.15], [262, 0.3]],
});
const LENGTH = 0.18;
const LOUD = 0.12;

class Sound {
  constructor() {
    this.on = kept() === "on";
    this.context = /** @type {AudioContext | undefined} */ (undefined);
  }

  /** @param {boolean} on */
  set(on) {
    this.on = on;
    try {
      localStorage.setItem(KEPT, on ? "on" : "off");
    } catch {
      // A browser that keeps nothing plays all the same.
    }
    if (on) this.play("bid");
  }

  /** @param {string} tune */
  play(tune) {
    if (!this.on) return;
    this.context ??= new AudioContext();
    for (const [pitch, begin] of TUNES[tune]) note(this.context, pitch, this.context.currentTime + begin);
  }
}

/** @param {AudioContext} context @param {number} pitch @param {number} at */
function note(context, pitch, at) {
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  tone.type = "triangle";
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(LOUD, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + LENGTH);
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + LENGTH);
}

/** What was chosen here before. */
function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

export { Sound };
