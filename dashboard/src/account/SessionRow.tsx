import { Button } from '@mantine/core'
import type { Session } from '../api/shapes.ts'
import { deviceIcon, deviceName } from '../lib/user-agent.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Row } from '../ui/Rows.tsx'

type Props = { session: Session; ending?: boolean; onEnd?: () => void }

export function SessionRow({ session, ending = false, onEnd }: Props) {
  const texts = useTexts('account').sessions
  const { city, region, country } = session.geolocation
  const place = [city, region === city ? null : region, country].filter(Boolean).join(', ')
  return (
    <Row
      icon={deviceIcon(session.userAgent)}
      title={deviceName(session.userAgent) ?? texts.unknownDevice}
      meta={
        <>
          <div>{[place, session.ipAddress].filter(Boolean).join(' · ') || texts.unknownPlace}</div>
          <div>
            {texts.created} <RelativeTime at={session.createdAt} /> · {texts.lastUsed}{' '}
            <RelativeTime at={session.lastUsedAt} /> · {texts.expires} <RelativeTime at={session.expiresAt} />
          </div>
        </>
      }
      actions={
        onEnd && (
          <Button size="xs" variant="default" loading={ending} onClick={onEnd}>
            {texts.end}
          </Button>
        )
      }
    />
  )
}
