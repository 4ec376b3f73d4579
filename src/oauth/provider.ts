import type { Services } from '../services.ts'
import { type ClientCache, createClientCache } from './clients/client-cache.ts'
import { createRedemptions, type Redemptions } from './tokens/redemptions.ts'

/** The services, and the OAuth provider's own state in memory. */
export interface Provider extends Services {
  clients: ClientCache
  redemptions: Redemptions
}

export const createProvider = (services: Services): Provider => ({
  ...services,
  clients: createClientCache(services),
  redemptions: createRedemptions(services),
})
