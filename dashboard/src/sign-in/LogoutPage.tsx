import { Anchor, Button, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { answer, api } from '../api/client.ts'
import { isStatus } from '../api/failure.ts'
import { appearance } from '../lib/appearance.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { paths } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { tellTabs } from '../session/tell-tabs.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'

/** Asks before signing out, so that a link on another site can't end somebody's session. */
export default function LogoutPage() {
  const texts = useTexts('publicPages').logout
  const [done, setDone] = useState(false)
  const site = useKnownSite()
  const { busy, failure, run } = useSubmit(async () => {
    await answer(api.POST('/api/auth/logout')).catch((error: unknown) => {
      // Whoever has no session any more is signed out already.
      if (!isStatus(error, 401)) throw error
    })
    tellTabs({ kind: 'signed-out' })
    setDone(true)
  })

  if (done) {
    return (
      <Stack gap="lg" role="status">
        <PublicHeading title={texts.doneTitle}>{texts.done}</PublicHeading>
        <Button component="a" href={paths.login} size="md">
          {texts.again}
        </Button>
        {site !== undefined && <WayBack host={site} />}
      </Stack>
    )
  }
  return (
    <Stack gap="lg">
      <PublicHeading title={site === undefined ? texts.title : texts.doneTitle}>
        {site === undefined ? texts.text(appearance().name) : texts.ofSite(site, appearance().name)}
      </PublicHeading>
      <FailureAlert failure={failure} />
      <Stack gap="sm">
        <Button size="md" fullWidth loading={busy} onClick={() => run()}>
          {site === undefined ? texts.submit : texts.everywhere}
        </Button>
        <Button component="a" href={paths.home} size="md" variant="default" fullWidth>
          {texts.stay}
        </Button>
        {site !== undefined && <WayBack host={site} />}
      </Stack>
    </Stack>
  )
}

const named = new URLSearchParams(location.search).get('site')

/** The site that sent the browser here. The server is asked whether it is one, so that no link leads to a stranger's page. */
function useKnownSite(): string | undefined {
  const [site, setSite] = useState<string>()
  useEffect(() => {
    if (named === null) return
    answer(api.GET('/api/authz/sites/{host}', { params: { path: { host: named } } })).then(
      ({ site: found }) => setSite(found.host),
      () => {},
    )
  }, [])
  return site
}

function WayBack({ host }: { host: string }) {
  const texts = useTexts('publicPages').logout
  return (
    <Anchor size="sm" ta="center" href={`https://${host}/`} underline="always" style={{ overflowWrap: 'anywhere' }}>
      {texts.backTo(host)}
    </Anchor>
  )
}
