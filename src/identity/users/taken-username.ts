import { AppError } from '../../errors.ts'

/** The name is not free, and the refusal says so: whoever gets it for many names is guessing. */
export class TakenUsername extends AppError {
  constructor(message: string, code: 'conflict' | 'username_held' = 'conflict') {
    super(code, message, { issues: [{ path: 'preferredUsername', message }] })
  }
}

export function refuseTakenUsername(username: string): never {
  throw new TakenUsername(`The username ${username} is taken.`)
}
