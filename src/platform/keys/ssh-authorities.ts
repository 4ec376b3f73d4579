import type { Logger } from 'pino'
import type { Database } from '../../storage/database.ts'
import type { Signals } from '../../storage/signals.ts'
import type { Vault } from '../crypto/vault.ts'
import { type Authority, openAuthority } from '../openssh/certificate.ts'
import { openCurrentKeys } from './current-keys.ts'
import type { SshPurpose } from './service-key-store.ts'
import { loadServiceKeys, type ServiceKey } from './service-keys.ts'
import { listRotations } from './ssh-ca-chain.ts'

export type SshKey = ServiceKey & Authority

/** The certificate authority of users, or that of hosts. Its fields are those of the key that signs at the moment. */
export interface SshAuthority extends SshKey {
  /** The key that signs, for work of several steps that must use the same one. */
  current(): SshKey
  /** All keys that must be trusted: the one that signs comes first. */
  trusted(): SshKey[]
  /** Each of its rotations, signed by the key that was replaced: lines for those who trust one of its earlier keys. */
  rotations(): readonly string[]
  /** Reads the keys again. */
  reload(): Promise<void>
  close(): Promise<void>
}

interface Loaded {
  keys: SshKey[]
  rotations: string[]
}

interface AuthorityServices {
  db: Database
  now: () => number
  vault: Vault
  signals: Signals
  log: Logger
}

/** Opens the authority, and reads its keys again when any replica has changed them. */
export async function openSshAuthority(needs: AuthorityServices, purpose: SshPurpose): Promise<SshAuthority> {
  const read = async (): Promise<Loaded> => {
    const keys = (await loadServiceKeys(needs, purpose)).map((key) => Object.assign(key, openAuthority(key.privateKey)))
    const active = keys.findLast(({ state }) => state === 'active')
    if (!active) throw new Error(`No key of ${purpose} is active.`)
    // After the keys: a key that is listed has its line.
    const rotations = await listRotations(needs.db.read, purpose)
    return { keys: [active, ...keys.filter((key) => key !== active)], rotations }
  }
  const { current: loaded, reload, close } = await openCurrentKeys(needs, read)
  const current = (): SshKey => {
    const [key] = loaded().keys
    if (!key) throw new Error('The keys of the SSH CA are not loaded.')
    return key
  }
  return {
    current,
    trusted: () => loaded().keys,
    rotations: () => loaded().rotations,
    reload,
    close,
    get id() {
      return current().id
    },
    get state() {
      return current().state
    },
    get privateKey() {
      return current().privateKey
    },
    get publicKey() {
      return current().publicKey
    },
    get signAt() {
      return current().signAt
    },
    get blob() {
      return current().blob
    },
    get lastFields() {
      return current().lastFields
    },
  }
}
