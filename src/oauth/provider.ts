import type { IdentityServices } from '../identity/access-events.ts'
import { type ClientCache, type Published, createClientCache, createPublished } from './clients/client-cache.ts'
import type { PkceUses } from './clients/pkce-uses.ts'
import type { Problems } from './problems/problems.ts'

/** What the provider gathers in memory and writes every second. The background work writes it, and so does a stop. */
export interface Gathered {
  problems: Problems
  pkceUses: PkceUses
}

/** The services, and the OAuth provider's own state in memory. */
export interface Provider extends IdentityServices, Gathered {
  clients: ClientCache
  published: Published
}

export const createProvider = (services: IdentityServices & Gathered): Provider => ({
  ...services,
  clients: createClientCache(services),
  published: createPublished(services),
})
