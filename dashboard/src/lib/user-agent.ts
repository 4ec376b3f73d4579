import { knownDeviceName } from '../../../src/vocabulary/device-names.ts'
import type { IconName } from '../ui/Icon.tsx'

/** A name that people recognise their device by, such as "Firefox, macOS". */
export function deviceName(userAgent: string | null): string | undefined {
  if (!userAgent) return undefined
  return knownDeviceName(userAgent) ?? userAgent.slice(0, 60)
}

export const deviceIcon = (userAgent: string | null): IconName =>
  /iPhone|Android.*Mobile|iPod/.test(userAgent ?? '') ? 'phone' : 'laptop'
