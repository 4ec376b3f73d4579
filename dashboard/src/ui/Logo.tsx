import { Group, Text } from '@mantine/core'
import { appearance } from '../lib/appearance.ts'

function LogoMark({ size = 32 }: { size?: number }) {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 32 32" style={{ flexShrink: 0 }}>
      <rect width="32" height="32" rx="8" fill="#15675c" />
      <g fill="none" stroke="#f3e3c3" strokeWidth="2.6" strokeLinecap="round">
        <circle cx="12.5" cy="12.5" r="5" />
        <path d="M16.2 16.2 24 24m-3.6-3.6 2.6-2.6" />
      </g>
    </svg>
  )
}

/** The name and logo of the installation. */
export function Logo({ size = 28 }: { size?: number }) {
  const { name, logoUrl } = appearance()
  return (
    <Group gap={10} wrap="nowrap">
      {logoUrl === null ? <LogoMark size={size} /> : <img src={logoUrl} alt="" width={size} height={size} />}
      <Text component="span" fw={650} fz={size * 0.66} lh={1.1} lts="-0.02em" lineClamp={1}>
        {name}
      </Text>
    </Group>
  )
}
