import { Badge, Box, Button, Text, Tooltip } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { SshSession } from '../api/shapes.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../ui/FormDialog.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Row, Rows } from '../ui/Rows.tsx'

type Props = {
  label: string
  sessions: SshSession[]
  /** What tells the sessions of this list apart: the host, or the person. */
  titleOf: (session: SshSession) => ReactNode
  mayEnd: boolean
}

/** The server lists no more. */
const MAX_LISTED = 500

/** More are shown when that is asked for. */
const SHOWN_AT_FIRST = 20

/** Sessions on hosts, and how to end them. */
export function SshSessionRows({ label, sessions, titleOf, mayEnd }: Props) {
  const texts = useTexts('ssh').sessions
  const client = useQueryClient()
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? sessions : sessions.slice(0, SHOWN_AT_FIRST)
  const [ending, setEnding] = useState<SshSession>()
  // They are there until the host says that they have ended.
  const [ended, setEnded] = useState<ReadonlySet<string>>(new Set())
  return (
    <>
      <Rows label={label}>
        {shown.map((session, index) => (
          <Row
            key={`${session.hostId} ${session.serial} ${session.account} ${session.startedAt} ${index}`}
            icon="terminal"
            title={titleOf(session)}
            badge={<StateBadge session={session} isEnding={ended.has(session.serial)} />}
            meta={
              <>
                {texts.as(session.account)}
                {session.sourceAddress !== '' && ` · ${texts.from(session.sourceAddress)}`} · {texts.begun}{' '}
                <RelativeTime at={session.startedAt} />
              </>
            }
            actions={
              mayEnd &&
              !ended.has(session.serial) && (
                <Button size="xs" variant="default" onClick={() => setEnding(session)}>
                  {texts.end}…
                </Button>
              )
            }
          />
        ))}
      </Rows>
      {sessions.length > shown.length && (
        <Box px="lg" py="md">
          <Button size="sm" variant="default" onClick={() => setWhole(true)}>
            {texts.showAll(sessions.length)}
          </Button>
        </Box>
      )}
      {isWhole && sessions.length >= MAX_LISTED && (
        <Text size="sm" c="dimmed" px="lg" pb="md">
          {texts.newestOnly(MAX_LISTED)}
        </Text>
      )}
      {ending && (
        <ConfirmDialog
          title={texts.endTitle(ending.account, ending.hostName)}
          confirm={texts.end}
          onClose={() => setEnding(undefined)}
          action={async () => {
            const { hostId, serial } = ending
            await answer(
              api.POST('/api/ssh/hosts/{id}/sessions/end', { params: { path: { id: hostId } }, body: { serial } }),
            )
            setEnded(ended.union(new Set([serial])))
            await client.invalidateQueries()
          }}
        >
          {texts.endText}
        </ConfirmDialog>
      )}
    </>
  )
}

function StateBadge({ session, isEnding }: { session: SshSession; isEnding: boolean }) {
  const texts = useTexts('ssh').sessions
  if (isEnding)
    return (
      <Badge size="sm" variant="light" color="brass">
        {texts.ending}
      </Badge>
    )
  if (!session.stale) return null
  return (
    <Tooltip label={texts.staleHint} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      <Badge size="sm" variant="light" color="gray" tabIndex={0}>
        {texts.stale}
      </Badge>
    </Tooltip>
  )
}
