import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { EscalationCheck } from '../../identity/roles/escalation.ts'
import { findFormerHosts, isHostNamed } from '../../identity/roles/former-host-store.ts'
import type { Services } from '../../platform/services.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Reader } from '../../storage/database.ts'
import { CLAIM_PLACES, type ClaimPlace } from '../claims/claim-mapping.ts'
import { PERSON_COLUMNS, mappedClaims } from '../claims/mapped-claims.ts'
import { CLAIM_COLUMNS, userClaims } from '../claims/user-claims.ts'
import { mayUseClient } from '../clients/allowed-role-store.ts'
import { clientExists, packedAllowedRoles } from '../clients/client-store.ts'
import { SIGN_IN_GRANTS } from '../clients/grant-types.ts'
import { type Admission, findSiteEscalation } from '../sites/compare-sites.ts'
import { demandsLess, type SignInDemands } from '../sites/sign-in-demands.ts'
import { nameOf } from '../sites/site-host.ts'
import { packedRuleRoles, readSite } from '../sites/site-settings.ts'

/** Whether the actor is let in by an application, and what it is told of them. */
export const atApplication = ({ config }: Pick<Services, 'config'>, clientId: string): EscalationCheck =>
  comparingApplications(config.baseUrl, (trx, userId) =>
    applications(trx, userId).where('oauth_clients.client_id', '=', clientId).execute(),
  )

/** The same at all applications that are told something else of those who hold a role. */
export const whereRoleIsTold = ({ config }: Pick<Services, 'config'>, roleId: string): EscalationCheck =>
  comparingApplications(config.baseUrl, (trx, userId) =>
    applications(trx, userId).where('oauth_clients.claims', 'like', `%"${roleId}"%`).execute(),
  )

const applications = (trx: Reader, userId: string) =>
  trx
    .selectFrom('oauth_clients')
    .innerJoin('users', (join) => join.on('users.id', '=', userId))
    .where(clientExists)
    .where('oauth_clients.client_type', '!=', 'proxied')
    .select(['oauth_clients.client_id', 'oauth_clients.name', 'oauth_clients.scopes', 'oauth_clients.grant_types'])
    .select(['oauth_clients.id_token_claims', 'oauth_clients.disabled_at'])
    .select(['oauth_clients.required_acr', 'oauth_clients.max_auth_age'])
    .select(mayUseClient(sql.ref('users.id')).as('mayUse'))
    .select(CLAIM_COLUMNS)
    .select(PERSON_COLUMNS)

type ApplicationRow = Awaited<ReturnType<ReturnType<typeof applications>['execute']>>[number]

function comparingApplications(
  baseUrl: string,
  list: (trx: Reader, userId: string) => Promise<ApplicationRow[]>,
): EscalationCheck {
  return async (trx, { userId }) => {
    const before = new Map((await list(trx, userId)).map((row) => [row.client_id, row]))
    return async () => {
      for (const row of await list(trx, userId)) {
        const was = before.get(row.client_id)
        // A new one is free: it may say what its maker likes, so APIs check client_id first (docs/resource-servers.md).
        if (!was || !letsIn(row)) continue
        if (!letsIn(was) || demandsLess(demandsOf(row), demandsOf(was))) return { kind: 'admitted', place: row.name }
        if (isToldOtherwise(toldOf(was, userId, baseUrl), toldOf(row, userId, baseUrl)))
          return { kind: 'named', place: row.name }
      }
      return undefined
    }
  }
}

const letsIn = ({ mayUse, disabled_at, grant_types }: ApplicationRow): boolean =>
  Boolean(mayUse) && disabled_at === null && SIGN_IN_GRANTS.some((type) => readTextList(grant_types).includes(type))

const demandsOf = ({
  required_acr,
  max_auth_age,
}: Pick<ApplicationRow, 'required_acr' | 'max_auth_age'>): SignInDemands => ({
  requiredAcr: required_acr,
  maxAuthAge: max_auth_age,
})

interface Told {
  value: unknown
  /** By a mapping, and not by a scope. */
  isMapped: boolean
}

/** Everything that the application can be told of a person, with all of its scopes, by place and name. */
function toldOf(row: ApplicationRow, userId: string, baseUrl: string): Map<string, Told> {
  const scope = readTextList(row.scopes).join(' ')
  const byScope = userClaims(row, { userId, scope, named: [], baseUrl })
  const scopesIn: Record<ClaimPlace, object> = {
    id_token: row.id_token_claims === 'full' ? byScope : {},
    userinfo: byScope,
    introspection: {},
  }
  const told = new Map<string, Told>()
  for (const place of CLAIM_PLACES) {
    for (const [name, value] of Object.entries(scopesIn[place]))
      told.set(`${place} ${name}`, { value: value as unknown, isMapped: false })
    for (const [name, value] of Object.entries(mappedClaims(row, place) ?? {}))
      told.set(`${place} ${name}`, { value, isMapped: true })
  }
  return told
}

/**
 * A mapping may say anything, so that any difference counts, also a claim that goes. What a scope tells is what everybody is
 * called everywhere: it may be told anew. A list that only becomes shorter says less.
 */
function isToldOtherwise(before: Map<string, Told>, after: Map<string, Told>): boolean {
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(key), after.get(key)]
    const isByScope = !was?.isMapped && !is?.isMapped
    if (isByScope && (was === undefined || is === undefined)) continue
    if (!isDeepStrictEqual(was?.value, is?.value) && !isShorter(was?.value, is?.value)) return true
  }
  return false
}

const isShorter = (was: unknown, is: unknown): boolean =>
  Array.isArray(was) && Array.isArray(is) && is.every((each) => was.includes(each))

/**
 * How many pairs of rules are compared for one change, so that no request takes longer than a tenth of a second: two sites with
 * a hundred rules each, or a hundred sites with a few. What is not compared counts as an escalation.
 */
const MAX_PAIRS = 100_000

/** What decides at the hosts of one site. It is read from its JSON once, and only if it is compared. */
interface Site {
  key: string
  admission(): Admission
}

/**
 * Whether the actor is let in at these hosts of sites, and by which headers they are named. A host that has no site before the
 * change is compared with the one that it had, and with those of the same name on other ports: some proxies hand on requests
 * for one port to the other. One with a name that was never seen is compared with nothing.
 */
export const atHosts =
  ({ now }: Pick<Services, 'now'>, hosts: readonly string[]): EscalationCheck =>
  async (trx, { roleIds }) => {
    const names = [...new Set(hosts.map(nameOf))]
    const current = await readSites(trx, names)
    const former = await findFormerHosts(trx, { kind: 'site', names, now: now() })
    const known = new Map<string, Site>([...former].map(([host, text]) => [host, formerSite(text)]))
    for (const [host, site] of current) known.set(host, site)
    return async () => {
      const compared = new Set<string>()
      let pairs = 0
      for (const [host, after] of await readSites(trx, names)) {
        if (!hosts.includes(host)) continue
        const isSame = (other: string) => (current.has(host) ? other === host : nameOf(other) === nameOf(host))
        for (const [other, before] of known) {
          const pair = `${after.key} ${before.key}`
          if (!isSame(other) || compared.has(pair)) continue
          compared.add(pair)
          const [was, is] = [before.admission(), after.admission()]
          pairs += (was.rules.length + is.rules.length) ** 2
          const kind = pairs > MAX_PAIRS ? 'admitted' : findSiteEscalation(was, is, roleIds)
          if (kind) return { kind, place: host }
        }
      }
      return undefined
    }
  }

/** The sites that have hosts with these names, by host. */
async function readSites(trx: Reader, names: readonly string[]): Promise<Map<string, Site>> {
  if (names.length === 0) return new Map()
  const rows = await trx
    .selectFrom('proxy_hosts')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'proxy_hosts.client_id')
    .where(isHostNamed(names))
    .where(clientExists)
    .select(['proxy_hosts.host', 'oauth_clients.client_id', 'oauth_clients.hosts', 'oauth_clients.rules'])
    .select(['oauth_clients.identity_headers', 'oauth_clients.basic', 'oauth_clients.restricted'])
    .select(['oauth_clients.session_max_age', 'oauth_clients.required_acr', 'oauth_clients.max_auth_age'])
    .select(['oauth_clients.disabled_at', packedAllowedRoles, packedRuleRoles])
    .execute()
  const sites = new Map<string, Site>()
  return new Map(
    rows.map((row) => {
      const toAdmission = (): Admission => {
        const { rules, headers } = readSite(row)
        const allowedRoles = row.restricted === 0 ? null : (row.allowedRoles?.split(' ') ?? [])
        return { allowedRoles, rules, headers, disabled: row.disabled_at !== null, ...demandsOf(row) }
      }
      const site = sites.get(row.client_id) ?? { key: row.client_id, admission: once(toAdmission) }
      sites.set(row.client_id, site)
      return [row.host, site]
    }),
  )
}

const formerSite = (text: string): Site => ({ key: text, admission: once(() => JSON.parse(text) as Admission) })

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
