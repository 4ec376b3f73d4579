import type { ErrorSentences } from '../error-texts.ts'
import { platformErrors } from './errors/platform.ts'

export const errors: ErrorSentences = {
  sentences: { ...platformErrors },
  sayDuration: (seconds) => (seconds < 120 ? `${seconds} Sekunden` : `${Math.ceil(seconds / 60)} Minuten`),
}
