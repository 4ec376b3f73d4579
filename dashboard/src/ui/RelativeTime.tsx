import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useFormat } from '../lib/use-format.ts'

/** "3 minutes ago", kept current, with the exact time on hover and focus. */
export function RelativeTime({ at }: { at: number }) {
  const format = useFormat()
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(ticking)
  }, [])
  return (
    <Tooltip label={format.dateTime(at)} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={new Date(at).toISOString()}>{format.relative(at, Math.max(now, Date.now() - 30_000))}</time>
    </Tooltip>
  )
}
