//! Statistics of lists, such as sums and means.

use crate::number;
use crate::value::Value;

/// The numbers among values.
fn numbers(values: &[Value]) -> Vec<f64> {
    let number = |value: &Value| match value {
        Value::Number(number) if !number.is_nan() => Some(*number),
        _ => None,
    };
    values.iter().filter_map(number).collect()
}

/// A number computed from the numbers among the values; null if there are none.
fn of_numbers(values: &[Value], make: impl FnOnce(&mut Vec<f64>) -> f64) -> Value {
    let mut numbers = numbers(values);
    if numbers.is_empty() {
        return Value::Null;
    }
    Value::Number(make(&mut numbers))
}

fn average(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / number::from_count(numbers.len())
}

pub(crate) fn sum(values: &[Value]) -> Value {
    Value::Number(numbers(values).iter().sum())
}

pub(crate) fn mean(values: &[Value]) -> Value {
    of_numbers(values, |numbers| average(numbers))
}

pub(crate) fn median(values: &[Value]) -> Value {
    of_numbers(values, |numbers| {
        numbers.sort_by(f64::total_cmp);
        let half = numbers.len() / 2;
        let at = |place: usize| numbers.get(place).copied().unwrap_or_default();
        if numbers.len() % 2 == 1 {
            at(half)
        } else {
            f64::midpoint(at(half - 1), at(half))
        }
    })
}

/// The standard deviation of a whole population, not of a sample.
pub(crate) fn deviation(values: &[Value]) -> Value {
    of_numbers(values, |numbers| {
        let mean = average(numbers);
        let squares: Vec<f64> = numbers
            .iter()
            .map(|number| (number - mean).powi(2))
            .collect();
        average(&squares).sqrt()
    })
}

pub(crate) fn least(values: &[Value]) -> Value {
    of_numbers(values, |numbers| {
        numbers.iter().copied().fold(f64::INFINITY, f64::min)
    })
}

pub(crate) fn greatest(values: &[Value]) -> Value {
    of_numbers(values, |numbers| {
        numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    })
}
