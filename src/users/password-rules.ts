import { Type } from 'typebox'
import { AppError } from '../errors.ts'
import { isCommonPassword } from './common-passwords.ts'

/** Lengths count characters as people see them written, not bytes. */
export const NewPassword = Type.String({
  minLength: 8,
  maxLength: 128,
  description: 'At least 8 characters, at most 128.',
})

/** What somebody typed as theirs: any length that was ever allowed. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: 128 })

/** The same password from another keyboard can come as other code points. */
export const normalizePassword = (password: string): string => password.normalize('NFKC')

export function refuseWeakPassword(field: string, password: string, email: string): void {
  const lowered = password.toLowerCase()
  const local = email.slice(0, email.lastIndexOf('@'))
  if (lowered === email || lowered === local) weak(field, 'The password must not be your email address.')
  if (isCommonPassword(lowered))
    weak(field, 'This password is among the first that anyone would guess. Choose another.')
}

function weak(path: string, message: string): never {
  throw new AppError('weak_password', message, { issues: [{ path, message }] })
}
