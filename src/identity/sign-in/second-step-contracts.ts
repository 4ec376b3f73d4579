import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../platform/config/config.ts'
import { cookieValues, HOST_PREFIX, takesHostCookies } from '../../platform/http/credentials.ts'
import { WAITING_MS } from '../second-step/second-step-store.ts'

export const TotpCode = Type.String({ pattern: '^[0-9]{6}$', description: 'Six digits.' })
export const RecoveryCode = Type.String({
  minLength: 12,
  maxLength: 32,
  description: 'In any case, with or without dashes.',
})

/** What a sign-in with the right password answers while the second step is missing. */
export const AwaitedStep = Type.Object(
  {
    id: Type.String({ description: 'For `/api/auth/login/second-step`, in this browser, within five minutes.' }),
    methods: Type.Array(Type.Enum(['totp', 'recovery_code'])),
  },
  { title: 'SecondStep' },
)
export type AwaitedStep = { id: string; methods: ('totp' | 'recovery_code')[] }

type DashboardConfig = Pick<Config, 'dashboardOrigin'>

const NAME = 'second_step'
const nameFor = (config: DashboardConfig): string => (takesHostCookies(config) ? HOST_PREFIX + NAME : NAME)
/** No other site needs it: stricter than the other cookies. */
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Strict'

export const readStepCookie = (config: DashboardConfig, request: FastifyRequest): string | undefined =>
  cookieValues(request, nameFor(config))[0]

/** Binds a sign-in that waits for its second step to the browser. */
export function setStepCookie(config: DashboardConfig, reply: FastifyReply, token: string): void {
  reply.header('set-cookie', `${nameFor(config)}=${token}; ${ATTRIBUTES}; Max-Age=${WAITING_MS / 1000}`)
}

export function clearStepCookie(config: DashboardConfig, reply: FastifyReply): void {
  reply.header('set-cookie', `${nameFor(config)}=; ${ATTRIBUTES}; Max-Age=0`)
}
