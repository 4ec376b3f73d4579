import { Type } from 'typebox'

/** One `@`, no white space, no control characters, nothing that a mail header would read as more than an address. */
export const EMAIL_PATTERN = String.raw`^[^\s@\u0000-\u001f\u007f<>()\[\],;:\\"]{1,64}@[^\s@\u0000-\u001f\u007f<>()\[\],;:\\"]{1,189}$`

export const MAX_EMAIL = 254

export const Email = Type.String({
  maxLength: MAX_EMAIL,
  pattern: EMAIL_PATTERN,
  description: 'An email address; upper and lower case are not distinguished.',
})

/** Addresses are compared without regard to case, so they are stored in lower case. */
export const normalizeEmail = (email: string): string => email.toLowerCase().normalize('NFC')
