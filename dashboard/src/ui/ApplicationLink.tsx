import type { ReactNode } from 'react'
import { paths } from '../paths.ts'
import { useMay } from '../session/me.ts'
import { TextLink } from './LinkButton.tsx'

/** The name of an application, as a link to its page for those who may see it. */
export function ApplicationLink({ id, children }: { id: string; children: ReactNode }) {
  if (!useMay()('oauth_clients:read')) return children
  return (
    <TextLink to={paths.adminClient} params={{ clientId: id }} inherit c="inherit">
      {children}
    </TextLink>
  )
}
