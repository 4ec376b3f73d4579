import type { TestApp } from './app.ts'

export interface PasswordCheckPause {
  /** Resolves when this many password checks have finished and are paused. */
  reached(count?: number): Promise<void>
  open(): void
}

/** Pauses every request directly after its password check until `open` is called, so that a test can act in between. */
export function pauseAfterPasswordCheck({ services }: TestApp): PasswordCheckPause {
  const { passwords } = services
  const opened = Promise.withResolvers<void>()
  const listeners: (() => void)[] = []
  let paused = 0
  services.passwords = {
    ...passwords,
    async verify(...args) {
      const matches = await passwords.verify(...args)
      paused++
      for (const notify of listeners) notify()
      await opened.promise
      return matches
    },
  }
  return {
    reached: (count = 1) =>
      new Promise((resolve) => {
        const notify = () => {
          if (paused >= count) resolve()
        }
        listeners.push(notify)
        notify()
      }),
    open() {
      services.passwords = passwords
      opened.resolve()
    },
  }
}
