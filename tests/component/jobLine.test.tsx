import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { JobLine } from '../../src/renderer/ui/JobLine'
import { methods } from '../../src/shared/bridge'
import { sampleOf } from '../support/sampleOf'
import { renderApp } from './renderApp'

it('the line of a job names the person who resolved a job', () => {
  const job = methods.printJobAgain.output.parse(sampleOf(methods.printJobAgain.output))
  renderApp(<JobLine job={{ ...job, state: 'done', resolvedBy: 'Jannie' }} />)
  expect(screen.getByTestId('job').textContent).toContain('resolved by Jannie')
})
