import { hash } from 'node:crypto'
import type { KnownClient } from './client.ts'

const SID_BYTES = 24

/**
 * What an application calls a session: one for both, so that no two applications can compare notes, the same on all replicas and for as
 * long as the session lives. It can be computed again when the session ends, and says nothing about it.
 */
export const sidOf = (sessionId: string, clientId: string): string =>
  hash('sha256', `sid\n${sessionId}\n${clientId}`, 'buffer').subarray(0, SID_BYTES).toString('base64url')

/** Whether the ID tokens of a client name the session: it is told when one ends. */
export const getsSid = ({ backchannelLogoutUri, hasStream }: KnownClient): boolean =>
  backchannelLogoutUri !== null || hasStream
