/**
 * Parameters of the stack by which an operator's command moves requests from one revision to another. CDK keeps their
 * values from deployment to deployment.
 */
export const WEIGHT_PARAMETERS = {
  /** Id of the revision that served before this template's; {@link NO_REVISION}: this one has all requests. */
  before: 'WebRevisionBefore',
  /** Percent of the requests for the revision of this template, and for the one before. */
  weight: 'WebRevisionWeight',
  beforeWeight: 'WebRevisionBeforeWeight',
} as const;

/** Value of the parameter `before` of a stack that has no revision before. */
export const NO_REVISION = 'none';
