import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { listAdministratorIds } from '../access/administrator-store.ts'
import { type Message, notifyEach } from './notify.ts'

/**
 * Notifies everyone who holds the administrator's role, in the transaction of the change that it is about: of the same, or
 * each of what `messages` returns for them.
 */
export const notifyAdministrators = async (
  services: Pick<Services, 'now' | 'signals'>,
  trx: Trx,
  messages: Message[] | ((administratorId: string) => Message[]),
): Promise<void> => {
  if (typeof messages === 'function' || messages.length > 0)
    await notifyEach(services, trx, await listAdministratorIds(trx), messages)
}
