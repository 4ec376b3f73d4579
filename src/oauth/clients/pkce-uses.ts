import type { Database, Trx } from '../../storage/database.ts'
import { createTransactionQueue } from '../../storage/transaction-queue.ts'

interface PkceUse {
  sent?: number
  missing?: number
}

/** Gathers when clients for which PKCE is optional got codes with and without it, and writes it once a second. */
export interface PkceUses {
  note(clientId: string, use: 'sent' | 'missing'): void
  /** Writes what was noted before the call, also when it comes while another one writes. */
  flush(): Promise<void>
}

export function createPkceUses({ db, now }: { db: Database; now: () => number }): PkceUses {
  let unwritten = new Map<string, PkceUse>()
  const writes = createTransactionQueue(1)

  const write = async (): Promise<void> => {
    if (unwritten.size === 0) return
    const writing = unwritten
    unwritten = new Map()
    try {
      await db.transaction(async (trx) => {
        for (const [clientId, use] of writing) await markPkceUse(trx, clientId, use)
      })
    } catch (error) {
      for (const [clientId, use] of writing) unwritten.set(clientId, { ...use, ...unwritten.get(clientId) })
      throw error
    }
  }

  return {
    note(clientId, use) {
      unwritten.set(clientId, { ...unwritten.get(clientId), [use]: now() })
    },
    flush: () => writes.run('', write),
  }
}

/** Records when the client last got a code with PKCE, and without. */
async function markPkceUse(trx: Trx, clientId: string, { sent, missing }: PkceUse): Promise<void> {
  await trx
    .updateTable('oauth_clients')
    .set({
      ...(sent === undefined ? {} : { pkce_sent_at: sent }),
      ...(missing === undefined ? {} : { pkce_missing_at: missing }),
    })
    .where('client_id', '=', clientId)
    .execute()
}
