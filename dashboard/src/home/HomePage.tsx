import { Box, Skeleton, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { UsableApp } from '../api/shapes.ts'
import { paths } from '../paths.ts'
import { useMe } from '../session/me.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { ApplicationLogo } from '../ui/ApplicationLogo.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { LinkButton, TextLink } from '../ui/links.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { Section } from '../ui/Section.tsx'
import { appsQuery } from './apps-query.ts'
import classes from './HomePage.module.css'

/** The start page: the applications that somebody may use. */
export function HomePage() {
  const texts = useTexts('account').home
  const { user } = useMe()
  const query = useQuery(appsQuery)
  return (
    <>
      <PageHeader
        title={texts.title(user.given_name ?? user.displayName ?? user.preferredUsername)}
        description={texts.description}
      />
      <QueryView
        query={query}
        skeleton={<AppsSkeleton />}
        isEmpty={({ apps }) => apps.length === 0}
        empty={
          <Section>
            <EmptyState
              icon="apps"
              title={texts.emptyTitle}
              action={
                <LinkButton to={paths.account} variant="light">
                  {texts.toProfile}
                </LinkButton>
              }
            >
              {texts.empty}
            </EmptyState>
          </Section>
        }
      >
        {({ apps }) => (
          <>
            <ul className={classes.grid} aria-label={texts.list}>
              {apps.map((app) => (
                <li key={app.client_id}>
                  <AppCard app={app} />
                </li>
              ))}
            </ul>
            <Text size="sm" c="dimmed" mt="lg">
              {texts.authorizedHint}{' '}
              <TextLink to={paths.applications} size="sm" underline="always">
                {texts.toAuthorized}
              </TextLink>
            </Text>
          </>
        )}
      </QueryView>
    </>
  )
}

function AppCard({ app }: { app: UsableApp }) {
  const texts = useTexts('account').home
  return (
    <a href={app.launchUrl} target="_blank" rel="noopener noreferrer" className={classes.card}>
      <ApplicationLogo name={app.name} logoUrl={app.logoUrl} size={48} />
      <Box miw={0}>
        <Text fw={600}>
          {app.name}
          <VisuallyHidden> {texts.newTab}</VisuallyHidden>
        </Text>
        {app.authorized && (
          <Text size="sm" c="dimmed">
            {texts.authorized}
          </Text>
        )}
      </Box>
    </a>
  )
}

function AppsSkeleton() {
  const { loading } = useTexts('shared')
  return (
    <div role="status" aria-label={loading} className={classes.grid}>
      {[0, 1, 2].map((each) => (
        <Skeleton key={each} h={82} radius="lg" />
      ))}
    </div>
  )
}
