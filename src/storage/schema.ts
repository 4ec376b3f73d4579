import type { LifecycleTables } from './tables/lifecycle.ts'
import type { OAuthTables } from './tables/oauth.ts'
import type { ProxyTables } from './tables/proxy.ts'
import type { ServiceTables } from './tables/service.ts'
import type { SignInTables } from './tables/sign-in.ts'
import type { SshTables } from './tables/ssh.ts'
import type { UserTables } from './tables/users.ts'

/** The tables as the migrations leave them. Times are epoch milliseconds, truth values 0 or 1, lists JSON. */
export interface Schema
  extends UserTables, SignInTables, OAuthTables, ProxyTables, SshTables, LifecycleTables, ServiceTables {}
