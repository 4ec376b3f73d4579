import type { ErrorSentences } from '../error-texts.ts'

export const errors: ErrorSentences = 'as the server'
