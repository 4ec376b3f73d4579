import type { Ended } from '../../../src/identity/receipts/receipt.ts'
import type { User } from '../../../src/identity/users/user.ts'

export const PASSWORD = 'correct horse battery staple'
export const SSH = ['ssh:keys:manage', 'ssh:cert:issue'] as const

export interface SwitchResponse {
  success: boolean
  scheduled: boolean
  user: User
  ended: Ended
}
