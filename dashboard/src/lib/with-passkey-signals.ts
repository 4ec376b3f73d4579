import type * as PasskeySignals from './passkey-signals.ts'

type Signal = (signals: typeof PasskeySignals) => Promise<void>

/** Loads the signals when there is something to signal: not with the page. That they can't be loaded concerns nobody. */
export const withPasskeySignals = (signal: Signal): Promise<void> =>
  import('./passkey-signals.ts').then(signal, () => undefined)
