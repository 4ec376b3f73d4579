import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Host } from '../../api/shapes.ts'
import { CommandDialog, type Enrollment, NewTokenDialog } from './HostDialogs.tsx'
import { HOSTS_KEY } from './hosts-query.ts'

/** Makes a new token for a host, after a question, and shows the line that uses it. */
export function NewTokenButton({ host, mt, children }: { host: Host; mt?: 'xs'; children: ReactNode }) {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const [enrollment, setEnrollment] = useState<Enrollment>()
  return (
    <>
      <Button size="xs" variant="default" {...(mt && { mt })} onClick={() => setAsking(true)}>
        {children}
      </Button>
      {isAsking && (
        <NewTokenDialog
          host={host}
          onClose={() => setAsking(false)}
          onDone={async (made) => {
            setEnrollment(made)
            await client.invalidateQueries({ queryKey: HOSTS_KEY })
          }}
        />
      )}
      {enrollment && <CommandDialog enrollment={enrollment} onClose={() => setEnrollment(undefined)} />}
    </>
  )
}
