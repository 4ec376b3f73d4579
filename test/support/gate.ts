import type { TestApp } from './app.ts'

export interface Gate {
  /** Resolves when so many checks of passwords are over and wait here. */
  reached(count?: number): Promise<void>
  open(): void
}

/** Stops whoever has just had a password checked, until the gate opens: what happens meanwhile comes in between. */
export function stopAfterPasswordCheck({ services }: TestApp): Gate {
  const { passwords } = services
  const opened = Promise.withResolvers<void>()
  const arrivals: (() => void)[] = []
  let arrived = 0
  services.passwords = {
    ...passwords,
    async verify(...given) {
      const matches = await passwords.verify(...given)
      arrived++
      for (const look of arrivals) look()
      await opened.promise
      return matches
    },
  }
  return {
    reached: (count = 1) =>
      new Promise((resolve) => {
        const look = () => {
          if (arrived >= count) resolve()
        }
        arrivals.push(look)
        look()
      }),
    open() {
      services.passwords = passwords
      opened.resolve()
    },
  }
}
