import { withoutEscalation } from '../../identity/roles/escalation.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { administer } from '../../identity/sessions/administer.ts'
import { changeAs } from '../../identity/sessions/lock-actor.ts'
import { type Settings, updateSetting } from '../../identity/users/settings-store.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import { settingsErrors } from './settings-errors.ts'

export type SettingsChange = Partial<Omit<Settings, 'logoVersion'>>

/** Changes only what the request names. What the environment sets can't be changed. */
export async function changeSettings(
  services: Pick<Services, 'config' | 'db' | 'now'>,
  changes: SettingsChange,
  actor: SignedInActor,
): Promise<void> {
  const names = Object.keys(changes) as (keyof SettingsChange)[]
  const fixed = services.config.fixedSettings.find((name) => names.includes(name))
  if (fixed) throw settingsErrors.setting_fixed({ setting: fixed })
  if (names.length === 0) return
  await administer(services, actor, async (trx, held) => {
    await withoutEscalation(trx, held, [], async () => {
      for (const name of names) await updateSetting(trx, name, changes[name])
    })
    await recordEvent(services, trx, { action: 'settings.updated', outcome: 'success', actor, data: { ...changes } })
  })
}

/** Sets the logo, or removes it without an image. */
export const changeLogo = (
  services: Pick<Services, 'db' | 'now' | 'random'>,
  image: Buffer | undefined,
  actor: SignedInActor,
): Promise<void> =>
  changeAs(services, actor, async (trx) => {
    await updateSetting(trx, 'logo', image?.toString('base64'))
    await updateSetting(trx, 'logoVersion', image && services.random.text(12))
    const data = { logo: image === undefined ? 'removed' : 'changed' }
    await recordEvent(services, trx, { action: 'settings.updated', outcome: 'success', actor, data })
  })
