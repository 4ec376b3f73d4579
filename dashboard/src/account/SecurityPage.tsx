import { Alert, Badge, Stack, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'
import type { OwnSecurity } from '../api/shapes.ts'
import { useFormat } from '../lib/use-format.ts'
import { deviceIcon, deviceName } from '../lib/user-agent.ts'
import { paths } from '../paths.ts'
import { useMe } from '../session/me.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Icon, type IconName } from '../ui/Icon.tsx'
import { LinkButton, TextLink } from '../ui/links.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { Section } from '../ui/Section.tsx'

const securityQuery = queryOptions({
  queryKey: ['security'],
  queryFn: () => answer(api.GET('/api/account/security')),
  // Its parts are changed on other pages.
  staleTime: 0,
})

/** With fewer recovery codes than this, new ones should be made. */
const FEW_CODES = 3

export function SecurityPage() {
  const texts = useTexts('security')
  const query = useQuery(securityQuery)
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <QueryView query={query}>
        {(security) => (
          <>
            <Verdict security={security} />
            <Ways security={security} />
            <SignIns signIns={security.signIns} />
          </>
        )}
      </QueryView>
    </>
  )
}

type Props = { security: OwnSecurity }

/** What is missing, in the order of its weight; or that nothing is. */
function Verdict({ security }: Props) {
  const texts = useTexts('security')
  const format = useFormat()
  const { user } = useMe()
  const { hasPassword, passkeys, secondStep, recoveryCodesLeft, requires, requiresNext } = security
  const missing = [
    ...(passkeys === 0 && !secondStep ? [hasPassword ? texts.passwordOnly : texts.nothing] : []),
    ...(passkeys === 1 && !hasPassword ? [texts.onePasskey] : []),
    ...(secondStep && recoveryCodesLeft < FEW_CODES ? [texts.fewCodes(recoveryCodesLeft)] : []),
    ...(user.email_verified ? [] : [texts.unconfirmed]),
  ]
  const demanded = [
    ...(requires === 'none' ? [] : [texts.demandNow[requires]]),
    ...(requiresNext === null || requiresNext.requires === 'none'
      ? []
      : [texts.demandNext[requiresNext.requires](format.dateTime(requiresNext.from))]),
  ]
  const isGood = missing.length === 0
  return (
    <Alert
      mb="md"
      color={isGood ? 'pine' : 'brass'}
      variant="light"
      title={isGood ? texts.goodTitle : texts.missingTitle}
      icon={<Icon name={isGood ? 'check' : 'alert'} />}
    >
      <Stack gap={4}>
        {(isGood ? [passkeys > 0 ? texts.good : texts.goodSecondStep] : missing).concat(demanded).map((sentence) => (
          <Text key={sentence} size="sm">
            {sentence}
          </Text>
        ))}
      </Stack>
    </Alert>
  )
}

type Way = { icon: IconName; title: string; meta: string; to: typeof paths.passkeys | typeof paths.password }

function Ways({ security: { hasPassword, passkeys, secondStep, recoveryCodesLeft } }: Props) {
  const texts = useTexts('security')
  const { nav } = useTexts('account')
  const ways: Way[] = [
    {
      icon: 'fingerprint',
      title: nav.passkeys,
      meta: passkeys === 0 ? texts.noPasskey : texts.passkeys(passkeys),
      to: paths.passkeys,
    },
    {
      icon: 'lock',
      title: nav.password,
      meta: hasPassword ? texts.hasPassword : texts.noPassword,
      to: paths.password,
    },
    {
      icon: 'phone',
      title: texts.app,
      meta: secondStep ? texts.appOn(recoveryCodesLeft) : hasPassword ? texts.appOff : texts.appNeedsPassword,
      to: paths.password,
    },
  ]
  return (
    <Section title={texts.ways} flush>
      <Rows label={texts.ways}>
        {ways.map(({ icon, title, meta, to }) => (
          <Row
            key={title}
            icon={icon}
            title={title}
            meta={meta}
            actions={
              <LinkButton to={to} size="xs" variant="default" aria-label={texts.manage(title)}>
                {texts.manageShort}
              </LinkButton>
            }
          />
        ))}
      </Rows>
    </Section>
  )
}

function SignIns({ signIns }: Pick<OwnSecurity, 'signIns'>) {
  const texts = useTexts('security')
  const { unknownDevice } = useTexts('account').sessions
  return (
    <Section
      title={texts.signIns}
      description={texts.signInsHint}
      actions={<TextLink to={paths.sessions}>{texts.toSessions}</TextLink>}
      flush
    >
      {signIns.length === 0 ? (
        <EmptyState icon="clock" title={texts.noSignIns} />
      ) : (
        <Rows label={texts.signIns}>
          {signIns.map(({ at, outcome, method, ipAddress, userAgent }) => (
            <Row
              key={`${at} ${outcome}`}
              icon={deviceIcon(userAgent)}
              title={deviceName(userAgent) ?? unknownDevice}
              badge={
                outcome === 'refused' && (
                  <Badge size="sm" color="red" variant="light">
                    {texts.refused}
                  </Badge>
                )
              }
              meta={
                <>
                  <RelativeTime at={at} />
                  {[method && texts.methods[method], ipAddress].filter(Boolean).map((part) => ` · ${part}`)}
                </>
              }
            />
          ))}
        </Rows>
      )}
    </Section>
  )
}
