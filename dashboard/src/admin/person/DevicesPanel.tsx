import type { UserDetails } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { SessionsSection } from './SessionsSection.tsx'
import { SignInSection } from './SignInSection.tsx'

/** How and where this person signs in. */
export function DevicesPanel({ details }: { details: UserDetails }) {
  const may = useMay()
  return (
    <>
      <SignInSection details={details} />
      {may('users:lifecycle') && <SessionsSection user={details.user} />}
    </>
  )
}
