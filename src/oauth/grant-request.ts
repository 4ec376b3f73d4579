import type { Caller } from '../http/caller.ts'
import type { KnownClient } from './client.ts'
import type { Parameters } from './parameters.ts'

/** What a grant is given to work with: a client that has proved who it is, and what it asks. */
export interface GrantRequest {
  client: KnownClient
  form: Parameters
  caller: Caller
}
