import { Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';

/** Shares of the budget, in per cent, at which an e-mail is sent: of what was spent, and of what the month is forecast to cost. */
const SPENT_PERCENT = [50, 80, 100];
const FORECAST_PERCENT = [100];

interface BudgetProps {
  readonly stage: string;
  readonly monthlyUsd: number;
  readonly email: string;
}

/** Sends an e-mail about the costs of the whole account. AWS has the figures some hours late, and stops nothing. */
export class Budget extends Construct {
  constructor(scope: Construct, id: string, { stage, monthlyUsd, email }: BudgetProps) {
    super(scope, id);
    const told = (notificationType: string, thresholds: readonly number[]) =>
      thresholds.map((threshold) => ({
        notification: {
          notificationType,
          comparisonOperator: 'GREATER_THAN',
          threshold,
          thresholdType: 'PERCENTAGE',
        },
        subscribers: [{ subscriptionType: 'EMAIL', address: email }],
      }));
    new CfnBudget(this, 'Budget', {
      budget: {
        // Unique in the account: the stage may be deployed to another region beside a lost one.
        budgetName: `gateway-${stage}-${Stack.of(this).region}`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: monthlyUsd, unit: 'USD' },
      },
      notificationsWithSubscribers: [
        ...told('ACTUAL', SPENT_PERCENT),
        ...told('FORECASTED', FORECAST_PERCENT),
      ],
    });
  }
}
