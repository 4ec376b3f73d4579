// Loaded into a process before anything else (NODE_OPTIONS=--import), to simulate a machine with a wrong clock.
const RealDate = Date
const offset = Number(process.env['CLOCK_OFFSET_MS'] ?? 0)

globalThis.Date = class extends RealDate {
  constructor(...given: []) {
    if (given.length === 0) super(RealDate.now() + offset)
    else super(...given)
  }

  static override now(): number {
    return RealDate.now() + offset
  }
} as DateConstructor
