import type { ReactNode } from 'react'
import { paths } from '../paths.ts'
import { useMay } from '../session/me.ts'
import { TextLink } from './LinkButton.tsx'

type Props = { id: string | null | undefined; prefix?: string; children: ReactNode }

/** The name of a person, as a link to their page for those who may see it. */
export function PersonLink({ id, prefix = '', children }: Props) {
  const maySee = useMay()('users:read')
  return (
    <>
      {prefix}
      {id && maySee ? (
        <TextLink to={paths.adminUser} params={{ userId: id }} inherit underline="always" c="inherit">
          {children}
        </TextLink>
      ) : (
        children
      )}
    </>
  )
}
