import { Type } from 'typebox'
import { findUser } from '../../identity/users/user-store.ts'
import { Nullable } from '../../platform/http/contracts.ts'
import type { Reader } from '../../storage/database.ts'

/** As whom somebody is about to decide. The page sends the id back in `X-Latchkey-User`. */
export const SignedInAs = Type.Object({
  id: Type.String(),
  email: Type.String(),
  displayName: Nullable(Type.String()),
  avatarUrl: Nullable(Type.String()),
})

export async function signedInAs(
  db: Reader,
  { id, email }: { id: string; email: string },
): Promise<Type.Static<typeof SignedInAs>> {
  const user = await findUser(db, id)
  return { id, email, displayName: user?.displayName ?? null, avatarUrl: user?.avatarUrl ?? null }
}
