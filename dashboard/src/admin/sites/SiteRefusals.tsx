import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { RefusalsSection } from '../clients/RefusalsSection.tsx'

/** Requests that the site did not let through. */
export function SiteRefusals({ site }: { site: Client }) {
  const texts = useTexts('sites').refusals
  return (
    <RefusalsSection
      application={site}
      texts={texts}
      explain={({ at, details }) => ({
        meta: (
          <>
            {details.sent !== null && <code>{details.sent}</code>}
            <div>
              <RelativeTime at={at} />
            </div>
          </>
        ),
      })}
    />
  )
}
