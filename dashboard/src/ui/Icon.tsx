import classes from './Icon.module.css'

// Line icons in the manner of Feather (MIT), drawn on a 24 × 24 grid. A package with thousands of icons would be too large for these.
const drawings = {
  activity: 'M22 12h-4l-3 9L9 3l-3 9H2',
  alert: 'M12 9v4m0 4h.01M10.3 3.9 1.8 18a2 2 0 0 0 1.7 3h17a2 2 0 0 0 1.7-3L13.7 3.9a2 2 0 0 0-3.4 0z',
  apps: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z',
  bell: 'M18 8A6 6 0 0 0 6 8c0 7-3 9-3 9h18s-3-2-3-9m-4.3 13a2 2 0 0 1-3.4 0',
  certificate: 'M12 15a5 5 0 1 0 0-10 5 5 0 0 0 0 10zm-3.5-1.5L7 22l5-2.6L17 22l-1.5-8.5',
  check: 'M20 6 9 17l-5-5',
  chevron: 'm9 6 6 6-6 6',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zm0-14v5l3 2',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  dots: 'M12 12h.01M5 12h.01M19 12h.01',
  download: 'M12 4v12m0 0-5-5m5 5 5-5M4 20h16',
  globe:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c2.5 2.6 3.8 5.6 3.8 9s-1.3 6.4-3.8 9c-2.5-2.6-3.8-5.6-3.8-9S9.5 5.6 12 3z',
  home: 'M3 11.5 12 4l9 7.5M5.5 9.5V20h13V9.5M10 20v-6h4v6',
  key: 'M8 19a5 5 0 1 0 0-10 5 5 0 0 0 0 10zm3.6-8.6L20 2m-4 4 3 3',
  laptop: 'M5 5h14v10H5zM2 19h20',
  list: 'M8 6h13M8 12h13M8 18h13M3 6h.01M3 12h.01M3 18h.01',
  lock: 'M6 11h12a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-8a1 1 0 0 1 1-1zm2 0V7a4 4 0 0 1 8 0v4',
  logout: 'M9 21H5a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1h4m7 14 5-5-5-5m5 5H9',
  mail: 'M3 5h18v14H3zm0 1 9 7 9-7',
  moon: 'M21 12.8A9 9 0 1 1 11.2 3a7 7 0 0 0 9.8 9.8z',
  fingerprint:
    'M7 19c1.3-2 2-4.3 2-7a3 3 0 0 1 6 0c0 3-.6 5.5-1.8 8M4.5 16c.7-1.3 1-2.6 1-4a6.5 6.5 0 0 1 13 0c0 2.4-.3 4.7-1 7M12 12c0 3.4-.8 6.3-2.5 9M5 6.5a9.5 9.5 0 0 1 13.5-.6',
  pencil: 'M12 20h9M16.5 3.5a2.1 2.1 0 0 1 3 3L7 19l-4 1 1-4z',
  phone: 'M8 2h8a1 1 0 0 1 1 1v18a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1zm4 17h.01',
  plus: 'M12 5v14M5 12h14',
  refresh: 'M21 4v6h-6M3 20v-6h6m11-5A8.5 8.5 0 0 0 6 6l-3 3m18 6-3 3a8.5 8.5 0 0 1-14-3',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zm5-2 5 5',
  settings:
    'M4 7h10m4 0h2M4 17h2m4 0h10M16 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm-8 10a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  select: 'm8 9 4-4 4 4m-8 6 4 4 4-4',
  server: 'M4 4h16v7H4zM4 13h16v7H4zM8 7.5h.01M8 16.5h.01',
  shield: 'M12 22s8-3.5 8-10V5l-8-3-8 3v7c0 6.5 8 10 8 10z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2m0 16v2M4.9 4.9l1.4 1.4m11.4 11.4 1.4 1.4M2 12h2m16 0h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  terminal: 'm4 17 6-5-6-5m8 12h8',
  trash: 'M4 6h16M9 6V4h6v2m3 0-1 14H7L6 6m4 4v6m4-6v6',
  up: 'm6 15 6-6 6 6',
  user: 'M20 21v-2a4 4 0 0 0-4-4H8a4 4 0 0 0-4 4v2m8-10a4 4 0 1 0 0-8 4 4 0 0 0 0 8z',
  users:
    'M17 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2m7.5-10a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM22 21v-2a4 4 0 0 0-3-3.9m-3-12a4 4 0 0 1 0 7.8',
  x: 'M18 6 6 18M6 6l12 12',
} as const

export type IconName = keyof typeof drawings

/** They point in the direction of reading, or against it. */
const POINTING: ReadonlySet<IconName> = new Set(['chevron', 'logout'])

/** For decoration only: the meaning of an icon is also in a text beside it or in the label of its button. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'dots' ? 3 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={POINTING.has(name) ? classes.mirrored : undefined}
      style={{ flexShrink: 0 }}
    >
      <path d={drawings[name]} />
    </svg>
  )
}
