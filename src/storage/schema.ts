import type { OAuthTables, ProxyTables } from './tables/oauth.ts'
import type { OutboxTables } from './tables/outbox.ts'
import type { LifecycleTables, SignInTables, UserTables } from './tables/people.ts'
import type { ServiceTables } from './tables/service.ts'
import type { SshTables } from './tables/ssh.ts'

/** The tables as the migrations leave them. Times are epoch milliseconds, truth values 0 or 1, lists JSON. */
export interface Schema
  extends UserTables, SignInTables, OAuthTables, ProxyTables, SshTables, LifecycleTables, ServiceTables, OutboxTables {}
