import type { Trx } from '../../storage/database.ts'
import { type AccessEvents, type IdentityServices, publish } from '../access-events.ts'
import type { Passkey } from './passkey-store.ts'

/** Tells the other areas that an account has a passkey more, or one less. The account is locked. */
export async function tellPasskeyChanged(
  services: Pick<IdentityServices, 'now' | 'accessSubscribers'>,
  trx: Trx,
  { transports, aaguid }: Pick<Passkey, 'transports' | 'aaguid'>,
  change: Pick<AccessEvents['credential_changed'], 'userId' | 'change' | 'by'>,
): Promise<void> {
  const credential = { kind: 'passkey', isPlatform: transports.includes('internal'), aaguid } as const
  await publish(services, trx, 'credential_changed', { ...change, credential })
}
