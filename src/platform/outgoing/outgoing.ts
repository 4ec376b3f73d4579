import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { AppError, atField } from '../../errors.ts'
import type { Config } from '../config/config.ts'
import { judgeUrl, type Restrictions } from './address-rules.ts'
import { createLookup, type Lookup } from './look-up.ts'
import { outgoingErrors } from './outgoing-errors.ts'
import { OutgoingError } from './outgoing-failure.ts'
import { type Connections, type OutgoingAnswer, type OutgoingRequest, sendRequest } from './send-request.ts'

interface Check extends Restrictions {
  /** The field of the request that has the address. */
  path?: string
  /** The status of `address_not_allowed`, where a standard wants another one than 409. */
  status?: 400
}

export interface Outgoing {
  /** Fails with an `OutgoingError` only. */
  send(request: OutgoingRequest): Promise<OutgoingAnswer>
  /** Refuses an address that is about to be stored, as far as it can be judged without a lookup. Each attempt judges it again. */
  checkUrl(url: string, check?: Check): void
  /** Ends what is still being sent. */
  close(): void
}

export interface OutgoingOptions {
  lookup?: Lookup
  /** Certificates of authorities, instead of those that Node trusts. */
  ca?: string
}

/** A connection waits for so long for the next request to the same receiver. Many servers close theirs after 5 seconds. */
const MAX_IDLE_MS = 4000
const MAX_IDLE_CONNECTIONS = 8

export function createOutgoing(config: Pick<Config, 'outgoingAllow'>, options: OutgoingOptions = {}): Outgoing {
  // An agent of one's own takes no proxy from the environment: the proxy, and not this process, would look up the name.
  const kept = { keepAlive: true, timeout: MAX_IDLE_MS, maxFreeSockets: MAX_IDLE_CONNECTIONS, autoSelectFamily: true }
  const http = new HttpAgent(kept)
  const https = new HttpsAgent({
    ...kept,
    rejectUnauthorized: true,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  })
  const inProgress: Connections['inProgress'] = new Set()
  const connections = { http, https, inProgress, lookup: options.lookup ?? createLookup() }

  return {
    async send(request) {
      const judged = judgeUrl(config, request.url, request)
      if (!(judged instanceof AppError)) return sendRequest(connections, judged, request)
      throw new OutgoingError(
        judged.code === 'address_not_allowed' ? 'address_not_allowed' : 'bad_request',
        judged.message,
        judged,
      )
    },
    checkUrl(url, { path, status, ...restrictions } = {}) {
      const judged = judgeUrl(config, url, restrictions)
      if (!(judged instanceof AppError)) return
      const isOther = judged.code === 'address_not_allowed' && status !== undefined
      const error = isOther ? outgoingErrors.address_not_allowed({ status }) : judged
      throw path === undefined ? error : atField(path, error)
    },
    close() {
      for (const end of connections.inProgress) end(new OutgoingError('abandoned', 'The service is stopping.'))
      http.destroy()
      https.destroy()
    },
  }
}
