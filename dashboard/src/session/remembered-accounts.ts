/** An account that this browser was signed in to with "Keep me signed in". Nothing of it is secret. */
export type RememberedAccount = { id: string; email: string; name: string; avatarUrl: string | null }

type SignedInUser = { id: string; email: string; displayName: string | null; avatarUrl: string | null }

const STORED = 'latchkey-accounts'
const MAX_ACCOUNTS = 8

export function rememberedAccounts(): RememberedAccount[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isAccount).slice(0, MAX_ACCOUNTS) : []
  } catch {
    return []
  }
}

/** The account that was used last is the first one. */
export function rememberAccount({ id, email, displayName, avatarUrl }: SignedInUser): void {
  const others = rememberedAccounts().filter((account) => account.id !== id)
  store([{ id, email, name: displayName ?? email, avatarUrl }, ...others].slice(0, MAX_ACCOUNTS))
}

export function forgetAccount(id: string): RememberedAccount[] {
  const left = rememberedAccounts().filter((account) => account.id !== id)
  store(left)
  return left
}

function store(accounts: RememberedAccount[]): void {
  try {
    localStorage.setItem(STORED, JSON.stringify(accounts))
  } catch {
    // Without storage there are no accounts to choose from.
  }
}

function isAccount(value: unknown): value is RememberedAccount {
  if (typeof value !== 'object' || value === null) return false
  const { id, email, name, avatarUrl } = value as Record<string, unknown>
  const texts = [id, email, name].every((each) => typeof each === 'string')
  // A picture of ours and nothing else: whoever can write here must not make the page load anything.
  return texts && (avatarUrl === null || (typeof avatarUrl === 'string' && avatarUrl.startsWith('/api/account/')))
}
